package io.weir.samples;

import java.io.IOException;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version, as the build wrote it into a resource: a manifest would be missing when classes run from a folder. */
final class WeirVersion implements IVersionProvider {

    @Override
    public String[] getVersion() throws IOException {
        var properties = new Properties();
        try (var stream = WeirVersion.class.getResourceAsStream("version.properties")) {
            properties.load(stream);
        }
        return new String[] {
            "Weir " + properties.getProperty("version"), "Java " + Runtime.version(),
        };
    }
}
