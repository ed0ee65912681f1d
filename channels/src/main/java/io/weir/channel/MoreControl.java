package io.weir.channel;

import io.weir.core.ControlData;
import java.util.Map;

/** Control data that is added to other control data. */
final class MoreControl {

    private MoreControl() {}

    /** Both; where they meet, the added one wins. */
    static ControlData added(ControlData more, ControlData given) {
        if (given.isEmpty()) {
            return more;
        }
        ControlData all = given;
        for (Map.Entry<String, String> each : more.asMap().entrySet()) {
            all = all.with(each.getKey(), each.getValue());
        }
        return all;
    }
}
