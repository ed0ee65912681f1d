package io.weir.spring.endpoint;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.util.MimeType;

/** The files of the page. */
final class Page {

    /** Where it lies below the endpoint. */
    static final String FOLDER = "page";

    static final String HTML = "text/html";
    static final String CSS = "text/css";
    static final String JAVASCRIPT = "text/javascript";
    static final String SVG = "image/svg+xml";

    /** Nothing else is read, whatever is asked for. */
    private static final Map<String, String> FILES = Map.of(
            "index.html", HTML,
            "page.css", CSS,
            "page.js", JAVASCRIPT,
            "details.js", JAVASCRIPT,
            "dom.js", JAVASCRIPT,
            "format.js", JAVASCRIPT,
            "history.js", JAVASCRIPT,
            "icon.svg", SVG);

    private Page() {}

    /** The type of this file; null if there is none. */
    static @Nullable MimeType type(String file) {
        String type = FILES.get(file);
        return type == null ? null : MimeType.valueOf(type + ";charset=UTF-8");
    }

    static Resource file(String file) {
        return new ClassPathResource("page/" + file, Page.class);
    }
}
