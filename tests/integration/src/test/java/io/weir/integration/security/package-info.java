/** Strangers on the port, secrets, certificates, and those who claim to be somebody else. */
@NullMarked
package io.weir.integration.security;

import org.jspecify.annotations.NullMarked;
