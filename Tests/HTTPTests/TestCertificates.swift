import HTTP

/// An authority and two certificates of its, good from 2020 to 2119, made for these tests alone:
/// `one` for one.test, localhost and 127.0.0.1; `two` for two.test and *.two.test.
enum TestCertificates {
    static let one = TLSCertificates.Identity(
        hostNames: ["one.test", "localhost"], chainPEM: Array(onePEM.utf8), keyPEM: Array(oneKeyPEM.utf8))
    static let two = TLSCertificates.Identity(
        hostNames: ["TWO.test", "*.two.test"], chainPEM: Array(twoPEM.utf8), keyPEM: Array(twoKeyPEM.utf8))

    static let authorityPEM = """
        -----BEGIN CERTIFICATE-----
        MIIBVzCB/qADAgECAgIQADAKBggqhkjOPQQDAjASMRAwDgYDVQQDDAdUZXN0IENB
        MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjASMRAwDgYDVQQDDAdU
        ZXN0IENBMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3rUd/eBz5p1xhAXcyWLt
        4CU803TdaDGWDFN9rnJwdzQzkvyrG0+ojzz+fF4pc1rGKduCaBbKyEyrXj6WBRJc
        v6NCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwHQYDVR0OBBYE
        FHjOIy2eZ2GFNPBk2Og4Mg4pH9H+MAoGCCqGSM49BAMCA0gAMEUCIQDQx8cjqEbq
        nAjKidc4NmXb5RFCf09BEvShPX9YgOdjRAIgIVUo4gz47EzWl22PXMt9ane291Mg
        wzfDXHo0CP/MB/I=
        -----END CERTIFICATE-----
        """

    private static let onePEM = """
        -----BEGIN CERTIFICATE-----
        MIIBjzCCATWgAwIBAgICEAEwCgYIKoZIzj0EAwIwEjEQMA4GA1UEAwwHVGVzdCBD
        QTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowDjEMMAoGA1UEAwwD
        b25lMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEo9uiwwb17KbQ01BucK6xF4OH
        Erx6NiZzIvL/hFZQCELEeC5eKW8p5lJh7TgVZI4rlceaX/tvGMHfs7D4GmnlVaN9
        MHswJAYDVR0RBB0wG4IIb25lLnRlc3SCCWxvY2FsaG9zdIcEfwAAATATBgNVHSUE
        DDAKBggrBgEFBQcDATAdBgNVHQ4EFgQUyPq/wlXNHUVApcajLY6Wgrk2gYswHwYD
        VR0jBBgwFoAUeM4jLZ5nYYU08GTY6DgyDikf0f4wCgYIKoZIzj0EAwIDSAAwRQIh
        AKRK2uVpIV6AscS7QVpB+7Rf5tsFw6EQUxVMcgN2Dx2lAiAQyo6i2UAkA2PK1sDi
        XMD7d0ib2oWugnpAjO72c/iPeQ==
        -----END CERTIFICATE-----
        """

    private static let oneKeyPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQguTx6VE7gL6fTRxse
        9ANC9XPKchDUI8tG2DvvQAF4H6ihRANCAASj26LDBvXsptDTUG5wrrEXg4cSvHo2
        JnMi8v+EVlAIQsR4Ll4pbynmUmHtOBVkjiuVx5pf+28Ywd+zsPgaaeVV
        -----END PRIVATE KEY-----
        """

    private static let twoPEM = """
        -----BEGIN CERTIFICATE-----
        MIIBizCCATCgAwIBAgICEAIwCgYIKoZIzj0EAwIwEjEQMA4GA1UEAwwHVGVzdCBD
        QTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowDjEMMAoGA1UEAwwD
        dHdvMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYjdCiimBni93HanJiIStyHJy
        KWS2pZhlOLGFNcW4mk/KDybok7pDzQekM/LvTz4mKMBKel/9Kv5l9tErmrH+3qN4
        MHYwHwYDVR0RBBgwFoIIdHdvLnRlc3SCCioudHdvLnRlc3QwEwYDVR0lBAwwCgYI
        KwYBBQUHAwEwHQYDVR0OBBYEFIGVqcqafZcPBwD10GzLueUTYUL4MB8GA1UdIwQY
        MBaAFHjOIy2eZ2GFNPBk2Og4Mg4pH9H+MAoGCCqGSM49BAMCA0kAMEYCIQChNQw+
        EfgCIvx7WmDUyaGSlGPhzchW+10CJdb19l7sbgIhAL7/TD7VYynggqFS2QylH+qO
        9QNFcAynD7sgq0Bh9p7h
        -----END CERTIFICATE-----
        """

    private static let twoKeyPEM = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4P/G1gf0XQxGPWY1
        5WRMuzdlCmQRse9PKui2RaUbxWehRANCAARiN0KKKYGeL3cdqcmIhK3IcnIpZLal
        mGU4sYU1xbiaT8oPJuiTukPNB6Qz8u9PPiYowEp6X/0q/mX20Suasf7e
        -----END PRIVATE KEY-----
        """
}
