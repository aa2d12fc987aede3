#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif
#if canImport(CoreFoundation)
// On Linux CoreFoundation has the members of `stat` for its own when another file of the target has brought it in first.
internal import CoreFoundation
#endif

/// A fresh folder with a random name beside a target, where a command writes what takes the target's place when it is complete.
/// One command at a time has such a folder for a target.
///
/// A marker in the folder, a locked file, says that a command of this program has made it. Nothing else is ever removed: folders and
/// files of other programs may have similar names, and links may lead anywhere.
final class WorkFolder: Sendable {
    /// Maximum number of attempts of commands that begin at the same moment.
    private static let attemptsMax = 5
    /// Microseconds between two attempts.
    private static let pauseMicroseconds: ClosedRange<UInt32> = 5_000...50_000
    /// Characters that `Files.makeFreshFolder` appends to a name and a hyphen.
    private static let randomCount = 6

    private static let markerName = "syncline-work"
    private static let markerText = "Syncline removes this folder when the command that made it has ended.\n"

    /// The path of the folder, which only this user can read.
    let path: String
    private let folder, marker: CInt

    /// Makes a folder beside a target, and removes those that killed commands have left there.
    ///
    /// - Parameters:
    ///   - suffix: The folder is `TARGET.SUFFIX-` and random characters.
    ///   - task: What the command does, for messages, such as "backup to FILE".
    static func make(beside target: String, suffix: String, for task: String) throws(ServerError) -> WorkFolder {
        do throws(Files.Failure) {
            for attempt in 1...attemptsMax {
                let folder = try WorkFolder(beside: target, suffix)
                // Each command marks its folder before it looks for others, so of two commands at least one finds the other.
                guard folder.findsOther(beside: target, suffix) else { return folder }
                folder.remove()
                if attempt < attemptsMax { usleep(UInt32.random(in: pauseMicroseconds)) }
            }
        } catch {
            throw ServerError(.failed, "Cannot make a folder beside \(target): \(error.reason).")
        }
        throw ServerError(.refused, "Another \(task) is under way.", hint: "Wait until it has ended.")
    }

    private init(beside target: String, _ suffix: String) throws(Files.Failure) {
        let parent = Files.folder(of: target)
        path = try Files.makeFreshFolder(in: parent, prefix: "\(Files.name(of: target)).\(suffix)")
        folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        marker =
            unsafe folder < 0
            ? -1 : openat(folder, Self.markerName, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard marker >= 0, flock(marker, LOCK_EX | LOCK_NB) == 0,
            Files.writeAll(Array(Self.markerText.utf8), to: marker)
        else {
            let failure = Files.Failure.last
            remove()
            throw failure
        }
    }

    deinit {
        if marker >= 0 { close(marker) }
        if folder >= 0 { close(folder) }
    }

    /// Removes the folder and all that is in it; the marker last, so that a killed process leaves no folder without it.
    func remove() { Self.remove(path, folder) }

    private static func remove(_ path: String, _ folder: CInt) {
        if folder >= 0 {
            Files.removeContents(of: folder, except: markerName)
            unsafe unlinkat(folder, markerName, 0)
        }
        unsafe rmdir(path)
    }

    // MARK: - Other commands

    /// Whether another command works beside the target. Removes the folders of those that were killed.
    private func findsOther(beside target: String, _ suffix: String) -> Bool {
        let parent = Files.folder(of: target)
        let (own, prefix) = (Files.name(of: path), "\(Files.name(of: target)).\(suffix)-")
        var isFound = false
        for name in (try? Files.names(inFolder: parent)) ?? [] {
            guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + Self.randomCount, name != own else {
                continue
            }
            if Self.isInUse(Files.path(name, in: parent)) { isFound = true }
        }
        return isFound
    }

    /// Whether a command uses a folder. If one has made it and was killed, the folder is removed; any other folder is left alone.
    private static func isInUse(_ path: String) -> Bool {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard folder >= 0 else { return false }
        defer { close(folder) }
        guard isOwn(folder, S_IFDIR) else { return false }
        let marker = unsafe openat(folder, markerName, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard marker >= 0 else { return false }
        defer { close(marker) }
        guard isOwn(marker, S_IFREG), isMarker(marker) else { return false }
        guard flock(marker, LOCK_EX | LOCK_NB) == 0 else { return true }
        remove(path, folder)
        return false
    }

    /// Whether an open file is this user's and of a type.
    private static func isOwn(_ descriptor: CInt, _ type: mode_t) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_uid == geteuid() && status.st_mode & S_IFMT == type
    }

    /// Whether an open file has the marker's text, and nothing else.
    ///
    /// Memory safety: `pread` writes at most the count it is given.
    private static func isMarker(_ descriptor: CInt) -> Bool {
        var bytes = [UInt8](repeating: 0, count: markerText.utf8.count + 1)
        let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
        return count == markerText.utf8.count && bytes.prefix(count).elementsEqual(markerText.utf8)
    }
}
