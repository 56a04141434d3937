{{- define "mlplace.checkStores" -}}
{{- $stores := .Values.stores -}}
{{- if .Values.evaluation -}}
{{- range $store := list "postgresql" "redis" "s3" -}}
{{- if (index $stores $store).existingSecret -}}
{{- fail (printf "evaluation brings its own %s: leave stores.%s.existingSecret empty, or set evaluation to false." $store $store) -}}
{{- end -}}
{{- end -}}
{{- if $stores.kafka.brokers -}}
{{- fail "evaluation brings its own Kafka: leave stores.kafka.brokers empty, or set evaluation to false." -}}
{{- end -}}
{{- else -}}
{{- if not $stores.postgresql.existingSecret -}}
{{- fail "stores.postgresql.existingSecret is empty: name the Secret with the URLs of the databases, or set evaluation to true to try the platform." -}}
{{- end -}}
{{- if not $stores.kafka.brokers -}}
{{- fail "stores.kafka.brokers is empty: list the brokers of Kafka as host:port." -}}
{{- end -}}
{{- if not (and $stores.s3.endpoint $stores.s3.existingSecret) -}}
{{- fail "stores.s3.endpoint and stores.s3.existingSecret are needed: name the object store and the Secret with its keys." -}}
{{- end -}}
{{- if and $stores.kafka.sasl.mechanism (not $stores.kafka.existingSecret) -}}
{{- fail "stores.kafka.existingSecret is empty: SASL needs a Secret with MLP_KAFKA_SASL_USER and MLP_KAFKA_SASL_PASSWORD." -}}
{{- end -}}
{{- if and $stores.kafka.existingSecret (not $stores.kafka.sasl.mechanism) -}}
{{- fail "stores.kafka.sasl.mechanism is empty: with stores.kafka.existingSecret alone nobody would sign in to Kafka." -}}
{{- end -}}
{{- if and $stores.kafka.tls.existingSecret (not $stores.kafka.tls.enabled) -}}
{{- fail "stores.kafka.tls.enabled is false and stores.kafka.tls.existingSecret is set: connections would not be encrypted." -}}
{{- end -}}
{{- if and $stores.kafka.tls.clientCertificate (not $stores.kafka.tls.existingSecret) -}}
{{- fail "stores.kafka.tls.existingSecret is empty: a client certificate needs a Secret with ca.crt, tls.crt and tls.key." -}}
{{- end -}}
{{- if gt (int $stores.kafka.minInsyncReplicas) (int $stores.kafka.replicationFactor) -}}
{{- fail "stores.kafka.minInsyncReplicas is larger than stores.kafka.replicationFactor: no event could ever be published." -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Each Secret that is named must exist and have its keys. Without a cluster, as in `helm template`, nothing can be looked up:
not even an empty list. The list is one that an administrator of the namespace may read. */}}
{{- define "mlplace.checkSecrets" -}}
{{- $root := . -}}
{{- if lookup "v1" "ServiceAccount" $root.Release.Namespace "" -}}
{{- range $path, $named := include "mlplace.namedSecrets" . | fromYaml -}}
{{- if $named.name -}}
{{- $secret := lookup "v1" "Secret" $root.Release.Namespace $named.name -}}
{{- if not $secret -}}
{{- fail (printf "The Secret %s that %s names does not exist in the namespace %s: create it first." $named.name $path $root.Release.Namespace) -}}
{{- end -}}
{{- range $key := $named.keys -}}
{{- if not (get ($secret.data | default dict) $key) -}}
{{- fail (printf "The Secret %s that %s names has no key %s: add it first." $named.name $path $key) -}}
{{- end -}}
{{- with get ($named.begins | default dict) $key -}}
{{- if not (include "mlplace.beginsWith" (dict "text" (get $secret.data $key | b64dec) "beginnings" .)) -}}
{{- fail (printf "%s in the Secret %s does not begin with %s: correct it first." $key $named.name (join " or " .)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- include "mlplace.checkAdministrator" . -}}
{{- end -}}
{{- end -}}

{{- define "mlplace.beginsWith" -}}
{{- range .beginnings -}}
{{- if hasPrefix . $.text -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/* Secrets that values name, by path: their names, the keys that they need, and what values must begin with. */}}
{{- define "mlplace.namedSecrets" -}}
{{- $values := .Values -}}
{{- $stores := $values.stores -}}
keys.existingSecret: { name: {{ $values.keys.existingSecret | quote }}, keys: {{ concat (list "MLP_INTERNAL_TOKEN" "MLP_HASH_SECRET" "MLP_ENVELOPE_KEY") (ternary (list "MLP_METRICS_TOKEN") list (and $values.monitoring.serviceMonitor.enabled $values.monitoring.serviceMonitor.detailed.enabled)) | toJson }} }
license.existingSecret: { name: {{ $values.license.existingSecret | quote }}, keys: [license, MLP_MLPCORE_LICENSE_PUBLIC_KEY] }
stores.postgresql.existingSecret:
  name: {{ $stores.postgresql.existingSecret | quote }}
  keys:
    {{- range $service := list "ACCOUNTSADMIN" "MLPCORE" "MLPGATEWAY" "MLPBILLING" }}
    - MLP_{{ $service }}_DATABASE_URL
    - MLP_{{ $service }}_OWNER_DATABASE_URL
    {{- end }}
  begins: # migrations grant rights to these roles by name; a server may ask for no password, or for a certificate
    {{- range $service := list "accountsadmin" "mlpcore" "mlpgateway" "mlpbilling" }}
    {{- range $variable, $role := dict "" $service "OWNER_" (printf "%s_owner" $service) }}
    MLP_{{ upper $service }}_{{ $variable }}DATABASE_URL: ["postgresql+asyncpg://{{ $role }}:", "postgresql+asyncpg://{{ $role }}@"]
    {{- end }}
    {{- end }}
stores.kafka.existingSecret: { name: {{ $stores.kafka.existingSecret | quote }}, keys: {{ ternary (list "MLP_KAFKA_SASL_USER" "MLP_KAFKA_SASL_PASSWORD") list (not (empty $stores.kafka.sasl.mechanism)) | toJson }} }
stores.kafka.tls.existingSecret: { name: {{ $stores.kafka.tls.existingSecret | quote }}, keys: {{ ternary (list "ca.crt" "tls.crt" "tls.key") (list "ca.crt") $stores.kafka.tls.clientCertificate | toJson }} }
stores.redis.existingSecret: { name: {{ $stores.redis.existingSecret | quote }}, keys: [MLP_REDIS_URL], begins: { MLP_REDIS_URL: ["redis://", "rediss://"] } }
stores.s3.existingSecret: { name: {{ $stores.s3.existingSecret | quote }}, keys: [MLP_S3_ACCESS_KEY, MLP_S3_SECRET_KEY] }
mail.existingSecret: { name: {{ $values.mail.existingSecret | quote }}, keys: [MLP_SMTP_PASSWORD] }
mlpgateway.tls.existingSecret: { name: {{ $values.mlpgateway.tls.existingSecret | quote }}, keys: [tls.crt, tls.key] }
agent.tokens.existingSecret: { name: {{ ternary $values.agent.tokens.existingSecret "" $values.agent.enabled | quote }}, keys: [] }
{{- range $index, $name := $values.image.pullSecrets }}
"image.pullSecrets[{{ $index }}]": { name: {{ $name | quote }}, keys: [] }
{{- end }}
{{- end -}}

{{/* One administrator creates the databases, or the server of each service has one of its own. */}}
{{- define "mlplace.checkAdministrator" -}}
{{- $postgresql := .Values.stores.postgresql -}}
{{- if and $postgresql.createDatabases $postgresql.existingSecret -}}
{{- $data := (lookup "v1" "Secret" .Release.Namespace $postgresql.existingSecret).data | default dict -}}
{{- range $server := list "" "ACCOUNTSADMIN_" "MLPCORE_" "MLPGATEWAY_" "MLPBILLING_" -}}
{{- $name := printf "MLP_%sADMIN_DATABASE_URL" $server -}}
{{- with get $data $name -}}
{{- if not (include "mlplace.beginsWith" (dict "text" (b64dec .) "beginnings" (list "postgresql://" "postgres://"))) -}}
{{- fail (printf "%s in the Secret %s does not begin with postgresql:// or postgres://: correct it first." $name $postgresql.existingSecret) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not (get $data "MLP_ADMIN_DATABASE_URL") -}}
{{- range $service := list "ACCOUNTSADMIN" "MLPCORE" "MLPGATEWAY" "MLPBILLING" -}}
{{- if not (get $data (printf "MLP_%s_ADMIN_DATABASE_URL" $service)) -}}
{{- fail (printf "The Secret %s that stores.postgresql.existingSecret names has neither MLP_ADMIN_DATABASE_URL nor MLP_%s_ADMIN_DATABASE_URL: add one, or set stores.postgresql.createDatabases to false." $postgresql.existingSecret $service) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "mlplace.checkEntrances" -}}
{{- if and .Values.ingress.enabled .Values.gatewayApi.enabled -}}
{{- fail "ingress.enabled and gatewayApi.enabled are both true: choose one of them." -}}
{{- end -}}
{{- if and .Values.gatewayApi.enabled (not .Values.gatewayApi.parentRefs) -}}
{{- fail "gatewayApi.parentRefs is empty: name the Gateway that the route belongs to." -}}
{{- end -}}
{{- if and .Values.ingress.enabled (include "mlplace.isHttps" .) (not .Values.ingress.tls) -}}
{{- fail "publicUrl begins with https:// and ingress.tls is empty: name the Secret of the certificate." -}}
{{- end -}}
{{- if and (or .Values.ingress.enabled .Values.gatewayApi.enabled) (not .Values.edge.trustedProxies) -}}
{{- fail "edge.trustedProxies is empty: list the networks of the ingress controller's or the Gateway's pods, or limits per address would count all callers as one." -}}
{{- end -}}
{{- range .Values.edge.trustedProxies -}}
{{- if regexMatch "(?i)^[0:]*:ffff:" . -}}
{{- fail (printf "edge.trustedProxies has %s, and nginx knows callers over IPv4 by their IPv4 address: write it as one, such as 10.0.0.0/8." .) -}}
{{- end -}}
{{- end -}}
{{- if and (or .Values.ingress.enabled .Values.gatewayApi.enabled) (regexMatch "^[0-9.]+$" (include "mlplace.publicHost" .)) -}}
{{- fail "publicUrl has an address instead of a name: neither an Ingress nor a route can serve it." -}}
{{- end -}}
{{- range $host := ternary .Values.whiteLabelHosts list (or .Values.ingress.enabled .Values.gatewayApi.enabled) -}}
{{- if regexMatch "^[0-9.]+$" $host -}}
{{- fail (printf "whiteLabelHosts has %s, an address instead of a name: neither an Ingress nor a route can serve it." $host) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (include "mlplace.isHttps" .) -}}
{{- range $host := prepend .Values.whiteLabelHosts (include "mlplace.publicHost" .) -}}
{{- if not (include "mlplace.hasCertificate" (dict "host" $host "tls" $.Values.ingress.tls)) -}}
{{- fail (printf "ingress.tls has no entry for %s: people would get the certificate of another host." $host) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if has (include "mlplace.publicHost" .) .Values.whiteLabelHosts -}}
{{- fail "whiteLabelHosts contains the host of publicUrl: list only further hosts." -}}
{{- end -}}
{{- include "mlplace.checkEdgePorts" . -}}
{{- end -}}

{{- define "mlplace.checkEdgePorts" -}}
{{- $service := .Values.edge.service -}}
{{- if eq (int $service.httpPort) 8090 -}}
{{- fail "edge.service.httpPort is 8090, the port of gRPC: choose another one." -}}
{{- end -}}
{{- if and (eq $service.type "ClusterIP") (or $service.httpNodePort $service.grpcNodePort) -}}
{{- fail "edge.service.httpNodePort and grpcNodePort need edge.service.type NodePort or LoadBalancer." -}}
{{- end -}}
{{- if and (ne $service.type "LoadBalancer") $service.loadBalancerSourceRanges -}}
{{- fail "edge.service.loadBalancerSourceRanges needs edge.service.type LoadBalancer: networkPolicy.edgeFrom says who reaches the edge in other ways." -}}
{{- end -}}
{{- end -}}

{{/* Whether an entry of ingress.tls is for the host, by its name, by a wildcard, or for all. Takes host and tls. */}}
{{- define "mlplace.hasCertificate" -}}
{{- $wildcard := printf "*.%s" (regexReplaceAll "^[^.]+\\." .host "") -}}
{{- range .tls -}}
{{- if or (not .hosts) (has $.host .hosts) (has $wildcard .hosts) -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/* mlpcore handles 32 uploads and conversions at once. Each has up to two temporary files of the size of a dataset. */}}
{{- define "mlplace.checkTemporaryStorage" -}}
{{- $name := "MLP_MLPCORE_DATASET_BYTES" -}}
{{- $each := get .Values.mlpcore.settings $name | default (get .Values.settings $name) | default 2147483648 | int64 -}}
{{- $needed := mul 64 $each -}}
{{- $size := .Values.mlpcore.temporaryStorage -}}
{{- if lt (include "mlplace.bytes" $size | int64) $needed -}}
{{- fail (printf "mlpcore.temporaryStorage %s is smaller than %d bytes, 64 datasets of %s: uploads would end the pod. Raise it, or lower %s in mlpcore.settings." $size $needed $name $name) -}}
{{- end -}}
{{- end -}}

{{/* The bytes of a quantity such as 1.5Gi. */}}
{{- define "mlplace.bytes" -}}
{{- include "mlplace.quantity" . | float64 | int64 -}}
{{- end -}}

{{/* A quantity such as 1.5Gi or 100m as a plain number. */}}
{{- define "mlplace.quantity" -}}
{{- $units := dict "" 1 "m" 0.001 "k" 1000 "M" 1000000 "G" 1000000000 "T" 1000000000000 "P" 1000000000000000 "E" 1000000000000000000 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "Pi" 1125899906842624 "Ei" 1152921504606846976 -}}
{{- $unit := regexFind "[A-Za-z]*$" . -}}
{{- mulf (trimSuffix $unit . | float64) (get $units $unit) -}}
{{- end -}}
