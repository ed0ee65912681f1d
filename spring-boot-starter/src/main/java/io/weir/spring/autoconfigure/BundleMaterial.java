package io.weir.spring.autoconfigure;

import io.weir.core.Misconfigured;
import io.weir.core.TlsSpec;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;

/** Certificates of an SSL bundle, those that it has now: it may be reloaded. */
final class BundleMaterial {

    /** Of one state of the bundle; made anew they would look like other ones. */
    private record Material(KeyManagerFactory keys, TrustManagerFactory trusted, List<String> protocols) {}

    private volatile Material now;

    private BundleMaterial(Material now) {
        this.now = now;
    }

    /**
     * Those of the bundle of this name.
     *
     * @param setting what names it
     * @throws Misconfigured if there is none, it can't be read, or it names ciphers
     */
    static BundleMaterial named(String setting, String name, ObjectProvider<SslBundles> bundles) {
        SslBundles known = bundles.getIfAvailable();
        if (known == null) {
            throw new Misconfigured(setting + '=' + name + " can't be used: the application has no SSL bundles; define"
                    + " spring.ssl.bundle.pem." + name);
        }
        try {
            BundleMaterial material = of(setting + '=' + name, known.getBundle(name));
            known.addBundleUpdateHandler(name, bundle -> {
                checkOptions(setting + '=' + name, bundle);
                material.now = material(bundle);
            });
            return material;
        } catch (NoSuchSslBundleException e) {
            throw new Misconfigured(
                    setting + '=' + name + " is no SSL bundle; define spring.ssl.bundle.pem." + name
                            + " or spring.ssl.bundle.jks." + name + ", known: " + known.getBundleNames(),
                    e);
        }
    }

    /**
     * Those of this bundle.
     *
     * @param what it is
     * @throws Misconfigured if it can't be read, or names ciphers
     */
    static BundleMaterial of(String what, SslBundle bundle) {
        checkOptions(what, bundle);
        try {
            return new BundleMaterial(material(bundle));
        } catch (RuntimeException e) {
            throw new Misconfigured(what + " can't be used: " + e.getMessage() + "; mend the SSL bundle", e);
        }
    }

    /** Users who allow only some ciphers must not be left to believe that no others are used. */
    private static void checkOptions(String what, SslBundle bundle) {
        if (bundle.getOptions().getCiphers() != null) {
            throw new Misconfigured(
                    what + " can't be used: it names ciphers, which Weir leaves to TLS; remove options.ciphers"
                            + " from the SSL bundle, options.enabled-protocols says which versions of TLS may be used");
        }
    }

    private static Material material(SslBundle bundle) {
        String[] protocols = bundle.getOptions().getEnabledProtocols();
        return new Material(
                bundle.getManagers().getKeyManagerFactory(),
                bundle.getManagers().getTrustManagerFactory(),
                protocols == null ? List.of() : List.of(protocols));
    }

    /** With the rest as it is; the protocols are those that the bundle has now, if it names some. */
    TlsSpec over(TlsSpec tls) {
        List<String> protocols = now.protocols();
        return tls.toBuilder()
                .enabled(true)
                .protocols(protocols.isEmpty() ? tls.protocols() : protocols)
                .keys(() -> now.keys())
                .trusted(() -> now.trusted())
                .build();
    }
}
