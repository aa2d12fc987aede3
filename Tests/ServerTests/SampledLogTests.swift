import Synchronization
import Testing

@testable import Server

@Suite("Warnings that are limited per second")
struct SampledLogTests {
    @Test("serve logs so many a second, and the next one reports how many were dropped; dev, and debug, log each")
    func sampling() {
        for (mode, level, expected) in [
            (Service.Mode.serve, LogLevel.warning, 2), (.dev, .warning, 5), (.serve, .debug, 5),
        ] {
            let lines = Mutex<[String]>([])
            let log = Log(format: .text, level: level) { line in lines.withLock { $0.append(line) } }
            let time = Mutex<Int64>(0)
            let warn = SampledLog(log, "It failed.", mode: mode, linesPerSecondMax: 2) { time.withLock { $0 } }
            for number in 0..<5 { warn(["number": "\(number)"]) }
            #expect(lines.withLock { $0.count } == expected)
            time.withLock { $0 = 1_000_000_000 }
            warn(["number": "5"])
            let last = lines.withLock { $0.last ?? "" }
            #expect(last.contains("number=5") && last.contains("leftOut=3") == (expected == 2), "\(last)")
        }
    }
}
