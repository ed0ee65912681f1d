package io.weir.samples.shop.orders;

/** What was ordered, and what it costs. */
public record Order(long number, String article, int quantity, long cents) {}
