package io.weir.spring.autoconfigure;

import io.weir.spring.RemoteClientRegistrar;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotationMetadata;

/** Looks for {@link io.weir.spring.RemoteClient} below the application's class. */
final class RemoteClientsOfApplication implements ImportBeanDefinitionRegistrar {

    private final BeanFactory beans;
    private final Environment environment;
    private final ResourceLoader resources;

    RemoteClientsOfApplication(BeanFactory beans, Environment environment, ResourceLoader resources) {
        this.beans = beans;
        this.environment = environment;
        this.resources = resources;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        if (AutoConfigurationPackages.has(beans)) {
            RemoteClientRegistrar registrar = new RemoteClientRegistrar(registry, environment, resources);
            AutoConfigurationPackages.get(beans).forEach(registrar::scan);
        }
    }
}
