package io.weir.spring.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Makes {@link WeirProperties} a bean, which is not bound before somebody asks for it: binding all of it takes longer
 * than everything else that this starter does on the thread that starts an application.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@EnableConfigurationProperties(WeirProperties.class)
@Import(WithProperties.Lazily.class)
@interface WithProperties {

    /** After Boot has registered them. */
    final class Lazily implements ImportBeanDefinitionRegistrar {

        Lazily() {}

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            if (registry instanceof ConfigurableListableBeanFactory beans) {
                for (String name : beans.getBeanNamesForType(WeirProperties.class, false, false)) {
                    registry.getBeanDefinition(name).setLazyInit(true);
                }
            }
        }
    }
}
