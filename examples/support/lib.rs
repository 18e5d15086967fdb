//! What the example programs share: settings, terminal manners, exit codes.
