package io.weir.channel;

import io.weir.core.ControlData;
import java.util.Objects;

/** Control data that is added to other control data. */
final class MoreControl {

    private MoreControl() {}

    /** Both; where they meet, the added one wins. */
    static ControlData added(ControlData more, ControlData given) {
        if (given.isEmpty()) {
            return more;
        }
        ControlData all = given;
        for (String key : more.asMap().keySet()) {
            all = all.with(key, Objects.requireNonNull(more.bytes(key)));
        }
        return all;
    }
}
