package io.weir.spring.aot;

import io.weir.spring.RemoteClientFactoryBean;
import io.weir.spring.RemoteService;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;

/**
 * Of each interface that is called or served: its proxy, its methods, and the values that its methods take and yield.
 */
final class RemoteInterfaceAotProcessor implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        if (RemoteClientFactoryBean.class.isAssignableFrom(ClassUtils.getUserClass(
                bean.getMergedBeanDefinition().getResolvableType().toClass()))) {
            Object type = bean.getMergedBeanDefinition().getAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE);
            return type instanceof Class<?> called ? new Called(called) : null;
        }
        Class<?> type = bean.getBeanClass();
        return AnnotatedElementUtils.hasAnnotation(type, RemoteService.class) ? new Served(type) : null;
    }

    private record Called(Class<?> type) implements BeanRegistrationAotContribution {

        @Override
        public void applyTo(GenerationContext context, BeanRegistrationCode code) {
            RuntimeHints hints = context.getRuntimeHints();
            hints.proxies().registerJdkProxy(type);
            describe(hints, type);
        }
    }

    private record Served(Class<?> type) implements BeanRegistrationAotContribution {

        @Override
        public void applyTo(GenerationContext context, BeanRegistrationCode code) {
            for (Class<?> each : ClassUtils.getAllInterfacesForClass(type)) {
                if (!each.getName().startsWith("java.")) {
                    describe(context.getRuntimeHints(), each);
                }
            }
        }
    }

    private static void describe(RuntimeHints hints, Class<?> type) {
        List<Type> values = new ArrayList<>();
        for (Method method : type.getMethods()) {
            hints.reflection().registerMethod(method, ExecutableMode.INVOKE);
            values.add(method.getGenericReturnType());
            values.addAll(List.of(method.getGenericParameterTypes()));
        }
        new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), values.toArray(Type[]::new));
    }
}
