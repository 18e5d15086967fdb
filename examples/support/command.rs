//! The command line of a program.

use clap::Parser;

/// Reads the command line. The exit codes stand at the end of each help, that of every command too: whoever writes a script
/// looks there.
pub fn parse<P: Parser>(exit_codes: &'static str) -> P {
    let command =
        P::command().after_help(exit_codes).mut_subcommands(|command| command.after_help(exit_codes));
    P::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
}
