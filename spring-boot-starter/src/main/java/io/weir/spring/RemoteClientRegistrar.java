package io.weir.spring;

import io.weir.core.Misconfigured;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.annotation.AnnotatedBeanDefinition;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/** Makes bean definitions of remote interfaces. */
public final class RemoteClientRegistrar {

    private final BeanDefinitionRegistry registry;
    private final Environment environment;
    private final ResourceLoader resources;

    /** Defines beans there. */
    public RemoteClientRegistrar(BeanDefinitionRegistry registry, Environment environment, ResourceLoader resources) {
        this.registry = registry;
        this.environment = environment;
        this.resources = resources;
    }

    /** One for each interface with {@link RemoteClient} in or below this package. */
    public void scan(String basePackage) {
        scan(basePackage, "");
    }

    private void scan(String basePackage, String group) {
        for (BeanDefinition found : new Interfaces(environment, resources).findCandidateComponents(basePackage)) {
            define(
                    ClassUtils.resolveClassName(String.valueOf(found.getBeanClassName()), resources.getClassLoader()),
                    group);
        }
    }

    private void define(Class<?> type, String group) {
        RemoteClient said = AnnotatedElementUtils.findMergedAnnotation(type, RemoteClient.class);
        String peer = said == null || said.peer().isEmpty() ? group : said.peer();
        String name = group.isEmpty() ? type.getName() : group + '#' + type.getName();
        if (registry.containsBeanDefinition(name)) {
            return;
        }
        RootBeanDefinition definition = new RootBeanDefinition(RemoteClientFactoryBean.class);
        definition.setTargetType(ResolvableType.forClassWithGenerics(RemoteClientFactoryBean.class, type));
        definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, type);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, type);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(1, peer);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(2, said == null ? "" : said.service());
        if (!group.isEmpty()) {
            definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, group));
        }
        registry.registerBeanDefinition(name, definition);
    }

    /** Of {@link ImportRemoteServices}. */
    static final class Imported implements ImportBeanDefinitionRegistrar {

        private final Environment environment;
        private final ResourceLoader resources;

        Imported(Environment environment, ResourceLoader resources) {
            this.environment = environment;
            this.resources = resources;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            RemoteClientRegistrar registrar = new RemoteClientRegistrar(registry, environment, resources);
            groups(importing).forEach(group -> {
                String name = environment.resolvePlaceholders(group.getString("group"));
                Class<?>[] types = group.getClassArray("types");
                Set<String> packages = new LinkedHashSet<>(Arrays.asList(group.getStringArray("basePackages")));
                Stream.of(group.getClassArray("basePackageClasses"))
                        .map(Class::getPackageName)
                        .forEach(packages::add);
                if (types.length == 0 && packages.isEmpty()) {
                    throw new Misconfigured("@ImportRemoteServices on " + importing.getClassName()
                            + " names no interface: give it types, or basePackages to look through");
                }
                for (Class<?> type : types) {
                    registrar.define(type, name);
                }
                packages.forEach(each -> registrar.scan(each, name));
            });
        }

        private static Stream<MergedAnnotation<ImportRemoteServices>> groups(AnnotationMetadata importing) {
            MergedAnnotation<ImportRemoteServices.Container> several =
                    importing.getAnnotations().get(ImportRemoteServices.Container.class);
            return several.isPresent()
                    ? Stream.of(several.getAnnotationArray("value", ImportRemoteServices.class))
                    : importing.getAnnotations().stream(ImportRemoteServices.class);
        }
    }

    /** Looks for interfaces only. */
    private static final class Interfaces extends ClassPathScanningCandidateComponentProvider {

        Interfaces(Environment environment, ResourceLoader resources) {
            super(false, environment);
            setResourceLoader(resources);
            addIncludeFilter(new AnnotationTypeFilter(RemoteClient.class, false));
        }

        @Override
        protected boolean isCandidateComponent(AnnotatedBeanDefinition found) {
            return found.getMetadata().isInterface() && found.getMetadata().isIndependent();
        }
    }
}
