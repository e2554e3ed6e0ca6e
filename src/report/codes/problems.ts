import { type CodeText, codeText } from "./code-words.ts";

/** Which exit code goes with a problem, and what it is. */
export const problems: Readonly<Record<string, CodeText & { readonly exitCode: number }>> = {
  guard: {
    exitCode: 5,
    ...codeText(
      "guards refuse the plan",
      "One or more guards have something against the plan as a whole; each says what, with numbers and people.",
      "Correct the roster; or, once you have read the plan and want just this, say the --allow words that are printed.",
    ),
  },
  "selection-strands-team": {
    exitCode: 5,
    ...codeText(
      "a selection would strand a team",
      "It leaves out a founder, or takes one whom another new team needs: a founder who is spent cannot be had again.",
      "Select the team with its people, or plan without a selection.",
    ),
  },
  "rehearsal-failed": {
    exitCode: 5,
    ...codeText(
      "a rehearsal of the plan ran into trouble",
      "Applied to a service in memory, the plan did not bring about what it shows: a call failed, something was found, or something was left to do. Nothing was sent.",
      "Correct what the rehearsal tells; or go without one (no --rehearse and no --latency, and ROSTER_REHEARSE=0) where it cannot be right about this service.",
    ),
  },
  "cannot-reinvite": {
    exitCode: 5,
    ...codeText(
      "nobody is mailed once more",
      "Only a member of the roster who is there and may have been invited before is.",
      "Do what the message says; an apply invites whoever was not.",
    ),
  },
  protected: {
    exitCode: 5,
    ...codeText(
      "the settings protect the person",
      "Nobody under `protect` is mailed.",
      "Take them out of `protect`, or have it done by hand.",
    ),
  },
  declined: {
    exitCode: 5,
    ...codeText("somebody read the plan and said no", "Nothing was sent.", "Nothing."),
  },
  "not-approved": {
    exitCode: 5,
    ...codeText(
      "nobody could be asked",
      "This is not a terminal, and nothing is applied without approval.",
      "Read the plan, then pass --auto-approve; or apply a saved plan, which is its own approval.",
    ),
  },
  occupied: {
    exitCode: 5,
    ...codeText(
      "there is something at the place already",
      "A state is never written over another one, or over what is no state.",
      "Name a place that holds nothing.",
    ),
  },
  stale: {
    exitCode: 6,
    ...codeText(
      "the plan file, or this run, is too old",
      "The file was applied before, has expired, or nothing of it fits any more; or a run with a higher --sequence has applied a newer roster.",
      "Plan again.",
    ),
  },
  "stale-snapshot": {
    exitCode: 6,
    ...codeText(
      "the snapshot is too old",
      "It was read longer ago than --max-age allows, a day unless said.",
      "Have `roster observe` run again.",
    ),
  },
  "snapshot-from-the-future": {
    exitCode: 6,
    ...codeText(
      "the snapshot is from a time to come",
      "The clock of one of both machines is wrong, so that nothing can be said about its age.",
      "Set the clocks right.",
    ),
  },
  deadline: {
    exitCode: 1,
    ...codeText(
      "the time that --deadline gives is over",
      "Nothing new was begun after it, and what was begun was ended in order.",
      "Give it more time, or run it again: it goes on from there.",
    ),
  },
  unwritable: {
    exitCode: 1,
    ...codeText(
      "a file cannot be written",
      "The message names it and the cause.",
      "Look at the path, its permissions and the room that is left.",
    ),
  },
  "unwritten-report": {
    exitCode: 1,
    ...codeText(
      "a report cannot be written",
      "What --report or the pipeline names could not be written, or moved to its place. The command itself has done its work.",
      "Look at the path and its permissions.",
    ),
  },
  "unfit-snapshot": {
    exitCode: 1,
    ...codeText(
      "no snapshot can be kept",
      "What the service shows cannot be read whole, or not told apart.",
      "See with `roster doctor` what the service answers.",
    ),
  },
  "port-not-free": {
    exitCode: 1,
    ...codeText(
      "the reference service cannot listen on the port",
      "Another program does, or it may not be used.",
      "Pass --port 0 to take a free one.",
    ),
  },
  "state-not-kept": {
    exitCode: 1,
    ...codeText(
      "the reference service cannot keep its state",
      "The file of --state cannot be read or written.",
      "Name another file.",
    ),
  },
  internal: {
    exitCode: 1,
    ...codeText(
      "roster has a defect",
      "Something happened that roster does not foresee. What was done until then is recorded.",
      "Report it with the lines that are printed and the command.",
    ),
  },
};
