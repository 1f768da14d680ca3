/** Shell completion. The library provides the protocol and the scripts of other shells; the script for bash is our own. */
import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import { print } from '../terminal/terminal.ts'
import { suggest } from './id-completion.ts'

/**
 * The library's script for bash requires the package bash-completion, executes backquoted text in descriptions, and
 * evaluates the line as it is typed. This one requires nothing and evaluates nothing. It runs on the bash 3.2 of macOS.
 */
const BASH = `# Completion of commonhold for bash: source <(commonhold completion bash)
_commonhold() {
  local line=\${COMP_LINE:0:COMP_POINT} value rest
  local -a words
  read -r -a words <<< "$line"
  case $line in *[[:space:]]) words+=('') ;; esac
  local current=\${words[\${#words[@]}-1]}
  # bash replaces only the text after the last of these.
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

/** Adds `completion <shell>`, and the hidden command that the scripts call. */
export function addCompletion(program: Command): void {
  const known = tab(program, { completionCommandName: 'completion' })
  // Each suggestion is one line, so descriptions are cut to their first line.
  for (const command of known.commands.values()) command.description = command.description.split('\n', 1)[0] ?? ''
  const named = (name: string) => program.commands.find((command) => command.name() === name)
  named('complete')?.action((words: string[]) => suggest(known, words))
  named('completion')
    ?.summary('Write the completion script for a shell.')
    .description('Write the completion script for a shell.')
    .addHelpText(
      'after',
      '\nExamples:\n  source <(commonhold completion bash)\n  commonhold completion fish > ~/.config/fish/completions/commonhold.fish',
    )
    .action((shell: string) => (shell === 'bash' ? print(BASH) : known.setup('commonhold', 'commonhold', shell)))
}
