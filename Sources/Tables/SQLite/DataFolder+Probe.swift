#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

extension DataFolder {
    /// Writes 4 KiB to a file of its own in the folder and removes it, to see whether the disk accepts data: a full
    /// disk, a used-up quota and a read-only mount refuse it. The database and its log are left alone, and nothing is
    /// synchronized: what only a synchronization finds out, the next commit finds out as well.
    static func probeDisk(in path: String) throws(StoreError) {
        let name = path + "/write-probe"
        let file = unsafe open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw probeError(errno) }
        var bytes = [UInt8](repeating: 0x55, count: 4_096)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
        let number = errno
        close(file)
        unsafe unlink(name)
        // A short count comes before the error: the disk took a part, and would refuse the rest.
        guard count == bytes.count else { throw probeError(count < 0 ? number : ENOSPC) }
    }

    private static func probeError(_ number: Int32) -> StoreError {
        StoreError(
            system: number, "The data folder accepts no data", hint: "Look at the disk that holds the data folder.")
    }
}
