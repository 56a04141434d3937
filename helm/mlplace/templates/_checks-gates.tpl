{{- define "mlplace.checkGates" -}}
{{- $gates := .Values.mlpgateway -}}
{{- $outside := $gates.outside -}}
{{- if eq $outside.mode "ingress" -}}
{{- if not (contains "{index}" $outside.ingress.host) -}}
{{- fail "mlpgateway.outside.ingress.host has no {index}: each gate needs a host of its own, such as gate-{index}.example.org." -}}
{{- end -}}
{{- if not (or $outside.ingress.tlsSecret $outside.ingress.parentRefs) -}}
{{- fail "mlpgateway.outside.ingress.tlsSecret is empty: gRPC through an ingress needs a certificate." -}}
{{- end -}}
{{- if not $gates.trustedProxies -}}
{{- fail "mlpgateway.trustedProxies is empty: list the networks of the ingress controller's or the Gateway's pods, or limits per address would count all instances as one." -}}
{{- end -}}
{{- if $gates.tls.existingSecret -}}
{{- fail "mlpgateway.tls.existingSecret is set and the mode is ingress: TLS ends either at the ingress or at the gates." -}}
{{- end -}}
{{- include "mlplace.checkHostsOfGates" . -}}
{{- end -}}
{{- if and (eq $outside.mode "loadBalancer") (not $outside.loadBalancer.host) -}}
{{- fail "mlpgateway.outside.loadBalancer.host is empty: set the host or address at which instances reach the load balancer." -}}
{{- end -}}
{{- if and (eq $outside.mode "loadBalancer") (gt (add (int $outside.loadBalancer.firstPort) (int (include "mlplace.mostGates" .))) 65536) -}}
{{- fail "mlpgateway.outside.loadBalancer.firstPort is too high: the ports of the last gates would be above 65535." -}}
{{- end -}}
{{- if lt (include "mlplace.bytes" $gates.usage.size | int64) (int64 $gates.usage.spoolBytes) -}}
{{- fail (printf "mlpgateway.usage.size %s is smaller than mlpgateway.usage.spoolBytes %d: the disk would be full before the spool." $gates.usage.size (int64 $gates.usage.spoolBytes)) -}}
{{- end -}}
{{- if and $gates.autoscaling.enabled (gt (int $gates.autoscaling.minReplicas) (int $gates.autoscaling.maxReplicas)) -}}
{{- fail "mlpgateway.autoscaling.minReplicas is larger than maxReplicas." -}}
{{- end -}}
{{- include "mlplace.checkSharedLimits" . -}}
{{- include "mlplace.checkNodePorts" . -}}
{{- end -}}

{{/* Each gate's host and the Secret of its certificate. */}}
{{- define "mlplace.checkHostsOfGates" -}}
{{- $ingress := .Values.mlpgateway.outside.ingress -}}
{{- range $index := until (int (include "mlplace.mostGates" .)) -}}
{{- $host := replace "{index}" (toString $index) $ingress.host -}}
{{- if or (not (include "mlplace.isHost" $host)) (regexMatch "^[0-9.]+$" $host) -}}
{{- fail (printf "mlpgateway.outside.ingress.host makes %s for gate %d, which is not the name of a host." $host $index) -}}
{{- end -}}
{{- $secret := replace "{index}" (toString $index) $ingress.tlsSecret -}}
{{- if and $secret (not (include "mlplace.isHost" $secret)) -}}
{{- fail (printf "mlpgateway.outside.ingress.tlsSecret makes %s for gate %d, which cannot be the name of a Secret." $secret $index) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Gates share limits in Redis and nowhere else. */}}
{{- define "mlplace.checkSharedLimits" -}}
{{- $gates := .Values.mlpgateway -}}
{{- $most := int (include "mlplace.mostGates" .) -}}
{{- $shared := or .Values.evaluation .Values.stores.redis.existingSecret (get .Values.settings "MLP_REDIS_URL") (get $gates.settings "MLP_REDIS_URL") -}}
{{- range $gates.extraEnv -}}
{{- if eq .name "MLP_REDIS_URL" -}}{{- $shared = true -}}{{- end -}}
{{- end -}}
{{- if and (gt $most 1) (not $shared) (not $gates.separateLimits) -}}
{{- fail (printf "stores.redis.existingSecret is empty and mlpgateway may run %d gates: each would admit the whole of every limit of calls and money. Name the Secret of Redis, run one gate, or accept this with mlpgateway.separateLimits." $most) -}}
{{- end -}}
{{- end -}}

{{/* The API server refuses node ports outside its range, and two Services with one node port. */}}
{{- define "mlplace.checkNodePorts" -}}
{{- $first := int .Values.nodePorts.first -}}
{{- $last := int .Values.nodePorts.last -}}
{{- if gt $first $last -}}
{{- fail "nodePorts.first is larger than nodePorts.last." -}}
{{- end -}}
{{- $wanted := list -}}
{{- range $name := list "httpNodePort" "grpcNodePort" -}}
{{- with get $.Values.edge.service $name -}}
{{- $wanted = append $wanted (dict "path" (printf "edge.service.%s" $name) "first" (int .) "last" (int .)) -}}
{{- end -}}
{{- end -}}
{{- $outside := .Values.mlpgateway.outside -}}
{{- if and (eq $outside.mode "loadBalancer") (eq $outside.loadBalancer.serviceType "NodePort") -}}
{{- $port := int $outside.loadBalancer.firstPort -}}
{{- $wanted = append $wanted (dict "path" "mlpgateway.outside.loadBalancer.firstPort" "first" $port "last" (sub (add $port (int (include "mlplace.mostGates" .))) 1 | int)) -}}
{{- end -}}
{{- $seen := list -}}
{{- range $each := $wanted -}}
{{- if or (lt $each.first $first) (gt $each.last $last) -}}
{{- $ports := ternary (printf "port %d" $each.first) (printf "ports %d to %d" $each.first $each.last) (eq $each.first $each.last) -}}
{{- fail (printf "%s takes the node %s, and those of the cluster are %d to %d: choose another, or name the cluster's range in nodePorts." $each.path $ports $first $last) -}}
{{- end -}}
{{- range $other := $seen -}}
{{- if and (le $each.first $other.last) (ge $each.last $other.first) -}}
{{- fail (printf "%s and %s both take the node port %d: choose another one." $other.path $each.path (max $each.first $other.first)) -}}
{{- end -}}
{{- end -}}
{{- $seen = append $seen $each -}}
{{- end -}}
{{- end -}}
