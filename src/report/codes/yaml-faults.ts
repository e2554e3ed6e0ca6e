import { type CodeText, codeText } from "./code-words.ts";

const writeOut = "Write it out; in a roster, `groups` share people and `roleSets` share roles.";

/** What can be wrong with a file as YAML. */
export const yamlFaults: Readonly<Record<string, CodeText>> = {
  "yaml-syntax": codeText(
    "this is not YAML",
    "A quote, a bracket or a colon is missing, or something stands where it cannot.",
    "Look at the line that is shown, and the one before it.",
  ),
  "yaml-indentation": codeText(
    "entries do not start in the same column",
    "Entries of one map or list stand one below the other.",
    "Indent them alike.",
  ),
  "yaml-tab": codeText("a tab is used as indentation", "YAML knows only spaces there.", "Use spaces."),
  "yaml-tag": codeText(
    "tags are not accepted",
    "A tag such as `!!str` decides what a value is, and could decide otherwise elsewhere.",
    "Take it out; quotes make a value a text.",
  ),
  "yaml-anchor": codeText("anchors are not accepted", "They let a few bytes become billions of entries.", writeOut),
  "yaml-alias": codeText("aliases are not accepted", "They let a few bytes become billions of entries.", writeOut),
  "yaml-merge-key": codeText("merge keys are not accepted", "They hide where a field comes from.", writeOut),
  "yaml-directive": codeText("directives are not accepted", "Every file is read as YAML 1.2.", "Take the line out."),
  "yaml-several-documents": codeText(
    "a second document starts here",
    "A file holds one document.",
    "Give it a file of its own.",
  ),
  "yaml-merge-conflict": codeText(
    "a merge has left both sides in the file",
    "Two branches have changed the same lines, and nobody has decided yet what is meant.",
    "Keep the lines that are meant, mostly those of both sides, and take out the lines that git wrote.",
  ),
  "yaml-duplicate-key": codeText(
    "one map has a key twice",
    "Only one of the two could count, and nobody could tell which.",
    "Take one of them out.",
  ),
  "yaml-key": codeText(
    "something that is no text is used as a key",
    "Keys of maps are plain texts.",
    "Write the key as a text, in quotes where YAML would read something else.",
  ),
  "yaml-not-a-map": codeText(
    "the file holds no map",
    "A roster file, and settings, are a map of sections.",
    "Begin it with `version: 1`.",
  ),
  "yaml-encoding": codeText("the file is not UTF-8", "Its bytes are no text in UTF-8.", "Save it as UTF-8."),
  "yaml-control-character": codeText(
    "the file holds a character that nobody sees",
    "Control characters could make a file look otherwise than it reads.",
    "Take it out.",
  ),
  "yaml-too-large": codeText(
    "the file is too large to be read as one",
    "It has too many bytes or too many parts.",
    "Split it into several files.",
  ),
  "yaml-too-deep": codeText(
    "maps and lists are nested too deep",
    "No roster nests as deep as this; mostly a bracket or a dash is repeated by mistake.",
    "Look for what is repeated.",
  ),
  "yaml-more-errors": codeText(
    "the file has more errors than are shown",
    "The first hundred are shown; the others often follow from them.",
    "Mend the first ones.",
  ),
};
