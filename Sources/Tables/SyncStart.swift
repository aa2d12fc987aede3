/// How a sync begins: base or delta, and what the device asks for the next time.
public struct SyncStart: Sendable, Hashable {
    /// `startedAt`, in milliseconds since 1970: every change that this reader's snapshot lacks has a stamp not below it.
    public var startedAt: Int64
    /// A sync since then or before needs everything: tombstones of that time were removed.
    public var deltaHorizon: Int64
}
