/** The ways in which the text of a plan can be read. */
export const viewNames = ["teams", "access", "calls", "mermaid"] as const;

export type ViewName = (typeof viewNames)[number];
