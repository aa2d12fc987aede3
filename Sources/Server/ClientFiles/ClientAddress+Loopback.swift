public import Codegen
import HTTP

extension ClientAddress {
    /// Whether it is an address of the machine itself.
    public var isLoopback: Bool { HostPort.isLoopback(host) }
}
