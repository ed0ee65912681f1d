package io.weir.spring;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.util.StringUtils;

/** Makes a proxy when it is asked for. Public for what Spring generates ahead of time. */
public final class RemoteClientFactoryBean<T> implements FactoryBean<T>, BeanFactoryAware {

    private final Class<T> type;
    private final String peer;
    private final String service;
    private @Nullable BeanFactory beans;

    /** Calls this peer, or any instance if its name is empty. */
    public RemoteClientFactoryBean(Class<T> type, String peer, String service) {
        this.type = type;
        this.peer = peer;
        this.service = service;
    }

    @Override
    public void setBeanFactory(BeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public T getObject() {
        BeanFactory known = Objects.requireNonNull(beans);
        WeirPeers peers = known.getBean(WeirPeers.class);
        WeirPeer called = StringUtils.hasText(peer) ? peers.get(peer) : peers.any();
        return StringUtils.hasText(service) ? called.client(type, service) : called.client(type);
    }

    @Override
    public Class<T> getObjectType() {
        return type;
    }
}
