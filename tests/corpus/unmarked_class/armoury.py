class Shield:
    pass
