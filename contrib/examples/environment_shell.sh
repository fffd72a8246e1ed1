#!/bin/sh
# environment/command in shell: a folder with one file. The protocol: command.md. Requests come on one line each and keep
# to one way of writing, so sed is enough to take them apart here; a program that does more reads them as JSON.
#
#     "environments": { "mine": { "use": "environment/command", "argv": ["sh", "environment_shell.sh"] } }
member() { printf '%s' "$line" | sed -n "s/.*\"$1\":\"\{0,1\}\([^\",}]*\).*/\1/p"; }

read -r line
printf '{"assay":1,"name":"shell","version":"1.0"}\n'
while read -r line; do
	id=$(member id)
	case $(member op) in
	prepare)
		dir=$(member workdir)
		echo hello >"$dir/notes.txt"
		printf '{"id":%s,"result":{"bindings":{"dir":"%s"},"state":{"dir":"%s"}}}\n' "$id" "$dir" "$dir"
		;;
	cleanup)
		rm -f "$(member dir)/notes.txt"
		printf '{"id":%s,"result":null}\n' "$id"
		;;
	*) printf '{"id":%s,"error":{"message":"no such operation"}}\n' "$id" ;;
	esac
done
