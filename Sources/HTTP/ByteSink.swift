/// Where answers go: bytes that grow at their end.
protocol ByteSink {
    /// Lends room for `countMax` bytes; `fill` says how many it has written there.
    mutating func append(countMax: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int)
}
