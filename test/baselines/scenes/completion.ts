import { exampleFiles } from "../examples.ts";
import type { Scene } from "../scene.ts";
import { threePeopleFiles } from "./companies.ts";

const lines: readonly (readonly string[])[] = [
  ["roster", ""],
  ["roster", "st"],
  ["roster", "state", ""],
  ["roster", "plan", "--"],
  ["roster", "plan", "--format", ""],
  ["roster", "plan", "--view", ""],
  ["roster", "plan", "--include", ""],
  ["roster", "explain", ""],
  ["roster", "explain", "role:"],
  ["roster", "serve", "--knob", "pageB"],
  ["roster", "serve", "--knob", "pageBase="],
  ["roster", "help", ""],
];

/** What shells are given. */
export const completionScenes: readonly Scene[] = [
  {
    name: "completion",
    about: "What the scripts of the shells ask.",
    files: { ...threePeopleFiles, ...exampleFiles("quickstart") },
    steps: [
      "completion bash",
      ...lines.map((words) => ({
        roster: ["completion", "candidates", "bash", "--", words.join(" "), " \t\n\"'><=;|&(:"],
      })),
    ],
  },
];
