//! Did the agent do what was expected? Test cases over tools, commands, order, arguments, output and plan.
