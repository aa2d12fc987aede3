/// From where the operators' API and the console accept requests by TCP.
enum ConsoleReach: Sendable, Hashable {
    case nowhere
    /// From this machine, and by no proxy.
    case thisMachine
    case everywhere
}
