import Synchronization

@testable import Buckets

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A disk in memory that loses, at a crash, what was not synchronized: of bytes any end, and of names any that were made,
/// renamed or removed since their folder was synchronized. It can fail or stop at any call.
final class SimulatedDisk: Sendable {
    /// What happens at the call whose turn has come.
    enum Fault: Sendable {
        /// The call fails with this error; those after it succeed.
        case error(CInt)
        /// The call and all after it fail: the process has ended.
        case death
    }

    private struct File {
        var bytes: [UInt8] = []
        var durableCount = 0
    }

    private struct State {
        var files: [Int: File] = [:]
        var folders: Set<String> = []
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
        var descriptors: [CInt: Int] = [:]
        var lastNumber = 0
        var lastDescriptor: CInt = 100
        var callCount = 0
        var fault: (at: Int, Fault)?
        var isDead = false
    }

    private let state = Mutex(State())

    /// Sets a fault at the call with this number, counted from now on from 1.
    func fail(at number: Int, _ fault: Fault) {
        state.withLock { state in
            state.callCount = 0
            state.fault = (number, fault)
        }
    }

    /// Calls since the fault was set.
    var callCount: Int { state.withLock { $0.callCount } }
    /// Files that have a name.
    var fileCount: Int { state.withLock { $0.names.count } }

    /// Loses what was not synchronized, at random, and takes calls again.
    func crash(_ generator: inout SeededGenerator) {
        var random = generator
        state.withLock { state in
            (state.isDead, state.fault, state.descriptors) = (false, nil, [:])
            for name in Set(state.names.keys).union(state.durableNames.keys).sorted() {
                if Bool.random(using: &random) { state.names[name] = state.durableNames[name] }
            }
            state.durableNames = state.names
            for number in state.files.keys.sorted() {
                guard var file = state.files[number] else { continue }
                let kept = Int.random(in: file.durableCount...file.bytes.count, using: &random)
                file.bytes.removeLast(file.bytes.count - kept)
                // A disk may also have a file's length before its bytes.
                if kept > file.durableCount, Bool.random(using: &random) {
                    for index in file.durableCount..<kept { file.bytes[index] = 0 }
                }
                file.durableCount = kept
                state.files[number] = file
            }
        }
        generator = random
    }

    private func perform<Success: Sendable>(
        _ body: (inout sending State) -> Result<Success, FileError>
    ) throws(FileError) -> Success {
        let result: Result<Success, FileError> = state.withLock { state in
            state.callCount += 1
            if state.isDead { return .failure(FileError(code: EIO)) }
            if let fault = state.fault, fault.at == state.callCount {
                switch fault.1 {
                case .error(let code): return .failure(FileError(code: code))
                case .death:
                    state.isDead = true
                    return .failure(FileError(code: EIO))
                }
            }
            return body(&state)
        }
        return try result.get()
    }

    private static func folder(of path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    var calls: FileCalls {
        FileCalls(
            create: { [self] path throws(FileError) in
                try perform { state in
                    guard state.names[path] == nil else { return .failure(FileError(code: EEXIST)) }
                    state.lastNumber += 1
                    state.lastDescriptor += 1
                    state.files[state.lastNumber] = File()
                    state.names[path] = state.lastNumber
                    state.descriptors[state.lastDescriptor] = state.lastNumber
                    return .success(state.lastDescriptor)
                }
            },
            open: { [self] path throws(FileError) in
                try perform { state in
                    guard let number = state.names[path] else { return .failure(FileError(code: ENOENT)) }
                    state.lastDescriptor += 1
                    state.descriptors[state.lastDescriptor] = number
                    return .success(state.lastDescriptor)
                }
            },
            write: { [self] descriptor, bytes, range throws(FileError) in
                try perform { state in
                    guard let number = state.descriptors[descriptor] else { return .failure(FileError(code: EBADF)) }
                    // Less than asked for, as a signal or a nearly full disk has it.
                    let count = max(1, range.count * 2 / 3)
                    state.files[number]?.bytes += bytes[range.prefix(count)]
                    return .success(count)
                }
            },
            read: { [self] descriptor, offset, count throws(FileError) in
                try perform { state in
                    guard let number = state.descriptors[descriptor], let file = state.files[number] else {
                        return .failure(FileError(code: EBADF))
                    }
                    return .success(Array(file.bytes.dropFirst(offset).prefix(count)))
                }
            },
            synchronize: { [self] descriptor throws(FileError) in
                try perform { state in
                    guard let number = state.descriptors[descriptor] else { return .failure(FileError(code: EBADF)) }
                    let count = state.files[number]?.bytes.count ?? 0
                    state.files[number]?.durableCount = count
                    return .success(())
                }
            },
            close: { [self] descriptor in state.withLock { $0.descriptors[descriptor] = nil } },
            rename: { [self] path, newPath throws(FileError) in
                try perform { state in
                    guard let number = state.names.removeValue(forKey: path) else {
                        return .failure(FileError(code: ENOENT))
                    }
                    state.names[newPath] = number
                    return .success(())
                }
            },
            link: { [self] path, newPath throws(FileError) in
                try perform { state in
                    guard let number = state.names[path] else { return .failure(FileError(code: ENOENT)) }
                    state.names[newPath] = number
                    return .success(())
                }
            },
            remove: { [self] path throws(FileError) in
                try perform { state in
                    state.names.removeValue(forKey: path) == nil ? .failure(FileError(code: ENOENT)) : .success(())
                }
            },
            makeFolder: { [self] path throws(FileError) in
                try perform { state in
                    state.folders.insert(path)
                    return .success(())
                }
            },
            synchronizeFolder: { [self] path throws(FileError) in
                try perform { state in
                    for name in Set(state.names.keys).union(state.durableNames.keys) where Self.folder(of: name) == path
                    {
                        state.durableNames[name] = state.names[name]
                    }
                    return .success(())
                }
            },
            names: { [self] path throws(FileError) in
                try perform { state in
                    .success(
                        state.names.keys.filter { Self.folder(of: $0) == path }.map {
                            String($0.dropFirst(path.utf8.count + 1))
                        })
                }
            })
    }
}
