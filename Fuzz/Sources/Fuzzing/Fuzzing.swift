import LibFuzzer

/// Written once, before the driver starts, and read by the driver's callback on the same thread: a C function pointer
/// captures nothing.
private nonisolated(unsafe) var check: (UnsafeRawBufferPointer) -> Void = { _ in }

/// Hands the process over to libFuzzer, which reads the command line and calls `body` with one input after another.
public func fuzz(_ body: @escaping (UnsafeRawBufferPointer) -> Void) {
    check = body
    var (argumentCount, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
    _ = LLVMFuzzerRunDriver(&argumentCount, &arguments) { start, count in
        check(UnsafeRawBufferPointer(start: start, count: count))
        return 0
    }
}

/// A finding unless the condition holds. Unlike `precondition`, it says its sentence in release builds too.
public func require(
    _ condition: Bool, _ sentence: @autoclosure () -> String, file: StaticString = #file, line: UInt = #line
) {
    if !condition { fatalError(sentence(), file: file, line: line) }
}
