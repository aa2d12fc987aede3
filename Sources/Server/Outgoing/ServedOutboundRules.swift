import Synchronization

/// The rules of outgoing calls of what outlasts a reload: those of the configuration that is served now. Safe to use from any thread.
final class ServedOutboundRules: Sendable {
    private let rules: Mutex<OutboundRules>
    private let mode: Service.Mode

    init(_ configuration: Configuration, mode: Service.Mode) {
        self.mode = mode
        rules = Mutex(configuration.outboundRules(in: mode))
    }

    /// The rules now.
    var current: OutboundRules { rules.withLock { $0 } }

    /// Sets those of another configuration.
    func serve(_ configuration: Configuration) { rules.withLock { $0 = configuration.outboundRules(in: mode) } }
}

extension Configuration {
    /// `outbound`. In `dev` any name may have an address of this machine.
    func outboundRules(in mode: Service.Mode) -> OutboundRules {
        var rules = outbound
        rules.allowsLoopbackNames = mode == .dev
        return rules
    }
}
