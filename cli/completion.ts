/** Completion in shells. The library knows the protocol and the other shells; the script for bash is our own. */
import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import { print } from './terminal.ts'

/**
 * That of the library needs the package bash-completion, runs what stands in backquotes in a description, and evaluates
 * the line as it is typed. This one needs nothing, and evaluates nothing. It runs on the bash 3.2 of macOS.
 */
const BASH = `# Completion of commonhold for bash: source <(commonhold completion bash)
_commonhold() {
  local line=\${COMP_LINE:0:COMP_POINT} value rest
  local -a words
  read -r -a words <<< "$line"
  case $line in *[[:space:]]) words+=('') ;; esac
  local current=\${words[\${#words[@]}-1]}
  # bash replaces only what stands after the last of these.
  local kept=\${current%"\${current##*[:=]}"}
  COMPREPLY=()
  while IFS=$'\\t' read -r value rest; do
    case $value in
      :[0-9]*) ;;
      "$current"*) COMPREPLY+=("\${value#"$kept"}") ;;
    esac
  done < <("$1" complete -- "\${words[@]:1}" 2> /dev/null)
}
complete -o default -F _commonhold commonhold`

/** Adds `completion <shell>`, and what its scripts call. */
export function addCompletion(program: Command): void {
  const known = tab(program, { completionCommandName: 'completion' })
  // A line is a suggestion: descriptions have one.
  for (const command of known.commands.values()) command.description = command.description.split('\n', 1)[0] ?? ''
  program.commands
    .find((command) => command.name() === 'completion')
    ?.summary('Write the script of completion for a shell.')
    .description('Write the script of completion for a shell.')
    .addHelpText(
      'after',
      '\nExamples:\n  source <(commonhold completion bash)\n  commonhold completion fish > ~/.config/fish/completions/commonhold.fish',
    )
    .action((shell: string) => (shell === 'bash' ? print(BASH) : known.setup('commonhold', 'commonhold', shell)))
}
