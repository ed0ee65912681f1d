package io.weir.spring.autoconfigure;

import io.weir.spring.WeirPeer;
import io.weir.spring.WeirPeers;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;

/** A peer by its name. */
final class PeerFactoryBean implements FactoryBean<WeirPeer>, BeanFactoryAware {

    private final String peer;
    private @Nullable BeanFactory beans;

    PeerFactoryBean(String peer) {
        this.peer = peer;
    }

    @Override
    public void setBeanFactory(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public WeirPeer getObject() {
        return Objects.requireNonNull(beans).getBean(WeirPeers.class).get(peer);
    }

    @Override
    public Class<WeirPeer> getObjectType() {
        return WeirPeer.class;
    }
}
