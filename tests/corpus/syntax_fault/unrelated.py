def broken(:
    """Names nothing of ours, so it is nobody's business."""
