package io.weir.spring.autoconfigure;

import io.weir.spring.WeirPeer;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** A bean for each peer that the properties name, with its name as the qualifier. */
final class PeerBeans implements ImportBeanDefinitionRegistrar {

    private final Environment environment;

    PeerBeans(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        for (String peer : WeirSettings.of(environment).peers()) {
            RootBeanDefinition definition = new RootBeanDefinition(PeerFactoryBean.class);
            definition.setTargetType(PeerFactoryBean.class);
            definition.getConstructorArgumentValues().addIndexedArgumentValue(0, peer);
            definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, peer));
            definition.setLazyInit(true);
            registry.registerBeanDefinition(peer + '#' + WeirPeer.class.getSimpleName(), definition);
        }
    }
}
