package io.weir.fabric;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A slip that somebody could make in an adapter, and that has to be noticed.
 *
 * @param slip in words
 * @param file that it is in, from the folder of all transports
 * @param right what stands there, exactly once
 * @param wrong what stands there instead
 * @param proof the tests of which one has to fail
 */
record Mutation(String slip, String file, String right, String wrong, Proof proof) {

    private static final Path SOURCES =
            Path.of("../..", "transports-native", "src", "main", "java", "io", "weir", "transport");

    /**
     * Compiles the adapter's class as it is with the slip.
     *
     * @param folder into which it is put
     * @return a class path on which it stands before the one that is right
     */
    String compiled(Path folder) throws IOException {
        String source = Files.readString(SOURCES.resolve(file));
        int at = source.indexOf(right);
        if (at < 0 || source.indexOf(right, at + 1) >= 0) {
            // Else it would change nothing, or something else, and nobody would know.
            throw new AssertionError("\"" + slip + "\" has to be written anew: " + file + " has "
                    + (at < 0 ? "no" : "more than one") + " piece of text\n" + right);
        }
        String classPath = System.getProperty("java.class.path");
        compile(source.substring(0, at) + wrong + source.substring(at + right.length()), classPath, folder);
        return folder + File.pathSeparator + classPath;
    }

    private void compile(String source, String classPath, Path folder) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new AssertionError("there is no compiler in " + System.getProperty("java.home"));
        }
        StringWriter said = new StringWriter();
        List<String> options =
                List.of("-proc:none", "-implicit:none", "-nowarn", "-cp", classPath, "-d", folder.toString());
        JavaFileObject text = new Text(file, source);
        if (!compiler.getTask(said, null, null, options, null, List.of(text)).call()) {
            throw new AssertionError("\"" + slip + "\" can't be compiled:\n" + said);
        }
    }

    /** A source that is in no file. */
    private static final class Text extends SimpleJavaFileObject {

        private final String text;

        Text(String file, String text) {
            super(URI.create("text:///" + file), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
