{{/* Plan of the Secret with the addresses and passwords of the evaluation's stores: files/make_secrets.py. */}}
{{- define "mlplace.evaluationSecrets" -}}
{{- $name := include "mlplace.fullname" . -}}
POSTGRES_PASSWORD: "{random}"
REDIS_PASSWORD: "{random}"
MLP_S3_ACCESS_KEY: mlplace
MLP_S3_SECRET_KEY: "{random}"
MLP_ADMIN_DATABASE_URL: "postgresql://postgres:{POSTGRES_PASSWORD}@{{ $name }}-postgresql/postgres"
MLP_REDIS_URL: "redis://:{REDIS_PASSWORD}@{{ $name }}-redis:6379/0"
{{- range $service := list "accountsadmin" "mlpcore" "mlpgateway" "mlpbilling" }}
{{- range $variable, $role := dict "" $service "OWNER_" (printf "%s_owner" $service) }}
{{ upper $role }}_PASSWORD: "{random}"
MLP_{{ upper $service }}_{{ $variable }}DATABASE_URL: "postgresql+asyncpg://{{ $role }}:{ {{- upper $role }}_PASSWORD}@{{ $name }}-postgresql/{{ $service }}"
{{- end }}
{{- end }}
{{- end -}}
