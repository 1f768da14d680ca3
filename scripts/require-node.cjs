/** Says in one sentence that Node is too old, for any version of it: without this, the error is a stack trace about the extension .ts. */
const MIN = 26
if (Number.parseInt(process.versions.node, 10) < MIN) {
  process.stderr.write(
    `commonhold: Node ${MIN} or later is needed, and this is ${process.versions.node}. \`npm ci\` in this folder installs it beside the packages; then use \`npm start\`.\n`,
  )
  process.exit(1)
}
