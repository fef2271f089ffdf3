//! Defaults: options as the command has them without arguments.

/// What the command takes without arguments.
pub fn defaults<A: clap::Args>() -> A {
    let command = A::augment_args(clap::Command::new("defaults").no_binary_name(true));
    A::from_arg_matches(&command.get_matches_from([""; 0])).expect("each argument has a default")
}
