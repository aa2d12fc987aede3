/// The sizes of an object's parts, in their order. Parts of one size that follow each other are kept as one run:
/// clients make all but the last alike.
struct PartSizes: Sendable {
    private var runs: [(count: Int, size: Int)] = []
    private(set) var count = 0

    init() {}

    mutating func append(_ size: Int) {
        if let last = runs.last, last.size == size {
            runs[runs.count - 1].count += 1
        } else {
            runs.append((1, size))
        }
        count += 1
    }

    /// Reads `text`; nil if it is none.
    init?(text: String) {
        for run in text.split(separator: " ") {
            let parts = run.split(separator: "x")
            guard parts.count == 2, let count = Int(parts[0]), let size = Int(parts[1]), count > 0, size >= 0 else {
                return nil
            }
            runs.append((count, size))
            self.count += count
        }
    }

    /// Such as `2x5242880 1x100`.
    var text: String { runs.map { "\($0.count)x\($0.size)" }.joined(separator: " ") }

    /// The bytes of a part, which is counted from 1 among the object's parts; nil where there is none.
    ///
    /// Its number at the upload does not count: of an object completed from the parts 1 and 3, the second part is 2, and there is no
    /// part 3. `x-amz-mp-parts-count` is "The count of parts this object has" (Amazon S3 API Reference, "GetObject"), and clients that
    /// download by parts request 1 to that count.
    func range(of part: Int) -> Range<Int>? {
        guard 1...max(count, 1) ~= part, count > 0 else { return nil }
        var (start, rest) = (0, part - 1)
        for run in runs {
            if rest < run.count { return start + rest * run.size..<start + (rest + 1) * run.size }
            rest -= run.count
            start += run.count * run.size
        }
        return nil
    }
}
