"""Where saves are kept: names, and bytes behind them that are whole or not there."""
