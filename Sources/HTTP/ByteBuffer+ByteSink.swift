import NIOCore

extension ByteBuffer: ByteSink {
    mutating func append(countMax: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        unsafe writeWithUnsafeMutableBytes(minimumWritableBytes: countMax, fill)
    }
}
