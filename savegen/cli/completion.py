"""`savegen completion`: the tab key."""

from __future__ import annotations

import click

from savegen.cli import Console, common, completion_script

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@common
@click.pass_obj
def command(console: Console, shell: str) -> int:
    """Print the script that completes commands, options, codes and classes in your shell.

    To install it, run the line for your shell once:

    \b
    bash: echo 'eval "$(savegen completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(savegen completion zsh)"' >> ~/.zshrc
    fish: savegen completion fish > ~/.config/fish/completions/savegen.fish
    """
    console.say(completion_script(shell))
    return 0
