#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// SMTP by libcurl, which is loaded when mail is first sent, so that a server without it needs none.
///
/// Memory safety: the library is never unloaded, its functions have the types of curl.h, and the texts that are lent live
/// until the transfer has ended. `curl_easy_setopt` is variadic; with one whole number or pointer behind its names the calling
/// conventions of Linux are those of a function with three parameters. Those of macOS on ARM are not: there only a command
/// sends mail.
enum CurlLibrary {
    private typealias Handle = UnsafeMutableRawPointer
    private typealias SetNumber = @convention(c) (Handle?, Int32, Int) -> Int32
    private typealias SetPointer = @convention(c) (Handle?, Int32, UnsafeRawPointer?) -> Int32

    /// The library's functions.
    @safe private struct Functions: @unchecked Sendable {
        let makeHandle: @convention(c) () -> Handle?
        let setNumber: SetNumber
        let setPointer: SetPointer
        let perform: @convention(c) (Handle?) -> Int32
        let getNumber: @convention(c) (Handle?, Int32, UnsafeMutablePointer<Int>?) -> Int32
        let free: @convention(c) (Handle?) -> Void
        let text: @convention(c) (Int32) -> UnsafePointer<CChar>?
        let append: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> UnsafeMutableRawPointer?
        let freeList: @convention(c) (UnsafeMutableRawPointer?) -> Void
    }

    /// The numbers of curl.h.
    private enum Option {
        static let url: Int32 = 10_002, username: Int32 = 10_173, password: Int32 = 10_174
        static let mailFrom: Int32 = 10_186, recipients: Int32 = 10_187, upload: Int32 = 46, readData: Int32 = 10_009
        static let useTLS: Int32 = 119, connectTimeout: Int32 = 78, timeout: Int32 = 13, noSignal: Int32 = 99
        static let responseCode: Int32 = 0x20_0002
    }

    private static let functions: Functions? = load()

    private static func load() -> Functions? {
        #if os(Linux)
        let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]
        for name in names {
            guard let library = unsafe dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
            @unsafe func symbol<Function>(_ name: String, _: Function.Type) -> Function? {
                unsafe dlsym(library, name).map { unsafe unsafeBitCast($0, to: Function.self) }
            }
            guard let initialize = unsafe symbol("curl_global_init", (@convention(c) (Int) -> Int32).self),
                initialize(3) == 0,
                let makeHandle = unsafe symbol("curl_easy_init", (@convention(c) () -> Handle?).self),
                let setNumber = unsafe symbol("curl_easy_setopt", SetNumber.self),
                let setPointer = unsafe symbol("curl_easy_setopt", SetPointer.self),
                let perform = unsafe symbol("curl_easy_perform", (@convention(c) (Handle?) -> Int32).self),
                let getNumber = unsafe symbol(
                    "curl_easy_getinfo", (@convention(c) (Handle?, Int32, UnsafeMutablePointer<Int>?) -> Int32).self),
                let free = unsafe symbol("curl_easy_cleanup", (@convention(c) (Handle?) -> Void).self),
                let text = unsafe symbol("curl_easy_strerror", (@convention(c) (Int32) -> UnsafePointer<CChar>?).self),
                let append = unsafe symbol(
                    "curl_slist_append",
                    (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?) -> UnsafeMutableRawPointer?).self),
                let freeList = unsafe symbol(
                    "curl_slist_free_all", (@convention(c) (UnsafeMutableRawPointer?) -> Void).self)
            else { continue }
            return unsafe Functions(
                makeHandle: makeHandle, setNumber: setNumber, setPointer: setPointer, perform: perform,
                getNumber: getNumber, free: free, text: text, append: append, freeList: freeList)
        }
        #endif
        return nil
    }

    /// Hands a message to a server.
    static func send(
        _ bytes: [UInt8], from sender: String, to recipient: String, _ settings: SMTPSettings
    ) throws(MailError) {
        guard let curl = functions else {
            throw MailError(
                message: "libcurl is not installed: install it (Debian: libcurl4), or send mail by a command.",
                isTemporary: true)
        }
        // `fmemopen` keeps the memory, which outlives every reading of the file.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { unsafe memory.deallocate() }
        unsafe memory.copyBytes(from: bytes)
        guard let file = unsafe fmemopen(memory.baseAddress, bytes.count, "r"), let handle = unsafe curl.makeHandle()
        else {
            throw MailError(message: "There is no room for the message.", isTemporary: true)
        }
        defer {
            unsafe fclose(file)
            unsafe curl.free(handle)
        }
        let recipients = unsafe curl.append(nil, "<\(recipient)>")
        defer { unsafe curl.freeList(recipients) }
        // libcurl copies texts.
        unsafe settings.url.withCString { unsafe _ = curl.setPointer(handle, Option.url, $0) }
        unsafe settings.username?.withCString { unsafe _ = curl.setPointer(handle, Option.username, $0) }
        unsafe settings.password?.withCString { unsafe _ = curl.setPointer(handle, Option.password, $0) }
        unsafe "<\(sender)>".withCString { unsafe _ = curl.setPointer(handle, Option.mailFrom, $0) }
        unsafe _ = curl.setPointer(handle, Option.recipients, recipients)
        unsafe _ = curl.setPointer(handle, Option.readData, file)
        unsafe _ = curl.setNumber(handle, Option.upload, 1)
        unsafe _ = curl.setNumber(handle, Option.noSignal, 1)
        unsafe _ = curl.setNumber(handle, Option.connectTimeout, 10)
        unsafe _ = curl.setNumber(handle, Option.timeout, 30)
        // CURLUSESSL_TRY and CURLUSESSL_ALL.
        unsafe _ = curl.setNumber(handle, Option.useTLS, settings.allowsClearText ? 1 : 3)
        let code = unsafe curl.perform(handle)
        guard code != 0 else { return }
        var response = 0
        unsafe _ = curl.getNumber(handle, Option.responseCode, &response)
        let text = unsafe curl.text(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        let answer = response > 0 ? " (the server answered \(response))" : ""
        throw MailError(message: "SMTP: \(text)\(answer)", isTemporary: !(500...599).contains(response))
    }
}
