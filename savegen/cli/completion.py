"""`savegen completion`: print the completion script of a shell."""

from __future__ import annotations

import click

from savegen.cli import _options as option
from savegen.cli._console import Console

_SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(_SHELLS))
@option.common
@click.pass_obj
def command(console: Console, shell: str) -> int:
    """Print the script that completes commands, options, codes and classes in your shell.

    To install it, run the line for your shell once:

    \b
    bash: echo 'eval "$(savegen completion bash)"' >> ~/.bashrc
    zsh:  echo 'eval "$(savegen completion zsh)"' >> ~/.zshrc
    fish: savegen completion fish > ~/.config/fish/completions/savegen.fish
    """
    from click.shell_completion import get_completion_class

    from savegen.cli import savegen_command

    completion = get_completion_class(shell)
    assert completion is not None
    script = completion(savegen_command, {}, "savegen", "_SAVEGEN_COMPLETE").source()
    console.print(script)
    return 0
