/// A client's frame as bytes, by code that shares nothing with the server's. `first` is the byte of FIN, the reserved
/// bits and the opcode; `lengthBytes` takes another form of the length than the shortest.
func clientFrame(
    _ first: UInt8, _ payload: [UInt8], key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D], lengthBytes: Int? = nil
) -> [UInt8] {
    let shortest = payload.count < 126 ? 0 : payload.count < 65_536 ? 2 : 8
    let lengthBytes = lengthBytes ?? shortest
    var bytes = [first]
    bytes.append(0x80 | (lengthBytes == 0 ? UInt8(payload.count) : lengthBytes == 2 ? 126 : 127))
    for place in (0..<lengthBytes).reversed() { bytes.append(UInt8(payload.count >> (8 * place) & 0xFF)) }
    bytes += key
    return bytes + payload.enumerated().map { $1 ^ key[$0 % 4] }
}

func clientFrame(_ first: UInt8, _ text: String) -> [UInt8] { clientFrame(first, Array(text.utf8)) }

func clientClose(_ code: Int, _ reason: String = "") -> [UInt8] {
    clientFrame(0x88, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
}
