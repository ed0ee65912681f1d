/** Services by name, and the directories that know them. */
@NullMarked
package io.weir.integration.service;

import org.jspecify.annotations.NullMarked;
