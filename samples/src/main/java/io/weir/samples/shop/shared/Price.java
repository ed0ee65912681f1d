package io.weir.samples.shop.shared;

/** What one piece costs. */
public record Price(String article, long cents) {}
