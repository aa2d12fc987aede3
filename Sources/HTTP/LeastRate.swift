/// The least rate at which bytes have to pass while a client is waited for, in seconds of a clock that is passed in.
///
/// A client begins with a credit of some seconds. Each second in which it is waited for costs one, each byte restores its
/// share, and there is never more than at the beginning: a client that was fast may not be slow for longer than another.
struct LeastRate {
    /// 0 is without least rate.
    private let bytesPerSecond: Int
    private let creditMax: Int
    /// Bytes.
    private var credit: Int
    /// Since when the client is waited for; nil while it is not.
    private var waitsSince: Int?

    /// - Parameter graceSeconds: How long nothing may pass.
    init(bytesPerSecond: Int, graceSeconds: Int) {
        self.bytesPerSecond = bytesPerSecond
        creditMax = bytesPerSecond * graceSeconds
        credit = creditMax
    }

    /// The client is waited for from now on.
    mutating func beginWait(now: Int) { if waitsSince == nil { waitsSince = now } }

    /// The client is not waited for any more.
    mutating func endWait(now: Int) {
        settle(now)
        waitsSince = nil
    }

    /// Bytes have passed.
    mutating func pass(_ byteCount: Int, now: Int) {
        settle(now)
        credit = min(creditMax, credit + byteCount)
    }

    /// Whether the client is slower than it may be.
    func isMissed(now: Int) -> Bool { credit < cost(now) }

    private func cost(_ now: Int) -> Int { waitsSince.map { bytesPerSecond * (now - $0) } ?? 0 }

    private mutating func settle(_ now: Int) {
        credit -= cost(now)
        if waitsSince != nil { waitsSince = now }
    }
}
