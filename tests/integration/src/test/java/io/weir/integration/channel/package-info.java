/**
 * Channels as a user has them: the contract of a channel over every path, and what holds of messages of every
 * size, of mailboxes and of turns.
 */
@NullMarked
package io.weir.integration.channel;

import org.jspecify.annotations.NullMarked;
