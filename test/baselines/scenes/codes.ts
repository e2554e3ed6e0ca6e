import type { Scene } from "../scene.ts";

/** What is said of codes; docs/reference.md has the meaning of each. */
export const codeScenes: readonly Scene[] = [
  {
    name: "codes",
    about: "A finding, an exit code and two guards.",
    steps: [
      "explain codes --format json",
      ...["unproven-absence", "7", "max-new-users", "privileged-roles"].map((code) => `explain ${code}`),
      "explain unproven-absence --format json",
    ],
  },
];
