// biome-ignore lint/performance: the screens take this from here until they are rewritten
export * from "../document/actions.ts";
