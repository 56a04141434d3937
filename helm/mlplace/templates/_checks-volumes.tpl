{{/* Kubernetes refuses changes of the volumes of a StatefulSet, and would do so only after the migration. */}}
{{- define "mlplace.checkVolumes" -}}
{{- $usage := .Values.mlpgateway.usage -}}
{{- include "mlplace.checkVolume" (dict "root" . "name" "mlpgateway" "path" "mlpgateway.usage" "size" $usage.size "classPath" "mlpgateway.usage.storageClass" "class" $usage.storageClass "advice" "see \"Scale\" in docs/kubernetes.md") -}}
{{- if .Values.evaluation -}}
{{- $sizes := dict -}}
{{- range $store := list "postgresql" "kafka" "redis" "s3" -}}
{{- $_ := set $sizes $store (dict "path" (printf "evaluationStores.%s" $store) "size" (index $.Values.evaluationStores $store).size) -}}
{{- end -}}
{{- if .Values.demo.enabled -}}
{{- $_ := set $sizes "demo" (dict "path" "demo" "size" .Values.demo.size) -}}
{{- end -}}
{{- range $name, $each := $sizes -}}
{{- include "mlplace.checkVolume" (merge (dict "root" $ "name" $name "classPath" "evaluationStores.storageClass" "class" $.Values.evaluationStores.storageClass "advice" "give the value of before") $each) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Takes root, name of the StatefulSet, path of its values, size, classPath, class and advice. */}}
{{- define "mlplace.checkVolume" -}}
{{- $found := lookup "apps/v1" "StatefulSet" .root.Release.Namespace (printf "%s-%s" (include "mlplace.fullname" .root) .name) -}}
{{- range ($found.spec | default dict).volumeClaimTemplates -}}
{{- $size := .spec.resources.requests.storage -}}
{{- if ne (include "mlplace.bytes" $size) (include "mlplace.bytes" $.size) -}}
{{- fail (printf "%s.size is %s and was installed as %s, which Kubernetes does not change: %s." $.path $.size $size $.advice) -}}
{{- end -}}
{{- if ne (.spec.storageClassName | default "") $.class -}}
{{- fail (printf "%s is %q and was installed as %q, which Kubernetes does not change: %s." $.classPath $.class (.spec.storageClassName | default "") $.advice) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Volumes and mounts of values beside those of the chart. The API server refuses a name or a path that comes twice. */}}
{{- define "mlplace.checkExtraVolumes" -}}
{{- $own := dict
  "accountsadmin" list
  "mlpcore" (list "license")
  "mlpgateway" (list "usage" "grpc-tls")
  "mlpbilling" list
  "edge" (list "rendered" "main" "snippets" "servers" "upstreams")
  "tools" list
  "agent" (list "run" "configuration" "tokens" "state" "docker") -}}
{{- range $component, $names := $own -}}
{{- $values := index $.Values $component -}}
{{- $known := concat $names (list "tmp" "kafka-tls" "wait") -}}
{{- range $values.extraVolumes -}}
{{- if has .name $known -}}
{{- fail (printf "%s.extraVolumes has %s, the name of another volume of the pod: choose another name." $component .name) -}}
{{- end -}}
{{- $known = append $known .name -}}
{{- end -}}
{{- $paths := list "/tmp" -}}
{{- range $values.extraVolumeMounts -}}
{{- if not (has .name $known) -}}
{{- fail (printf "%s.extraVolumeMounts names the volume %s, which %s.extraVolumes lacks: add it." $component .name $component) -}}
{{- end -}}
{{- if has .mountPath $paths -}}
{{- fail (printf "%s.extraVolumeMounts has the path %s, at which another volume is mounted: choose another path." $component .mountPath) -}}
{{- end -}}
{{- $paths = append $paths .mountPath -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The API server refuses a request above its limit. Values of one are merged with the default of the other. */}}
{{- define "mlplace.checkResources" -}}
{{- $all := dict "mlpgateway.outside.loadBalancer" .Values.mlpgateway.outside.loadBalancer.resources "demo" .Values.demo.resources -}}
{{- range $component := list "accountsadmin" "mlpcore" "mlpgateway" "mlpbilling" "edge" "tools" "agent" -}}
{{- $_ := set $all $component (index $.Values $component).resources -}}
{{- end -}}
{{- range $store := list "postgresql" "kafka" "redis" "s3" -}}
{{- $_ := set $all (printf "evaluationStores.%s" $store) (index $.Values.evaluationStores $store).resources -}}
{{- end -}}
{{- range $path, $resources := $all -}}
{{- $limits := $resources.limits | default dict -}}
{{- range $name, $request := $resources.requests -}}
{{- $limit := get $limits $name | toString -}}
{{- if and $limit (gt (include "mlplace.quantity" (toString $request) | float64) (include "mlplace.quantity" $limit | float64)) -}}
{{- fail (printf "%s.resources requests %s of %s, more than its limit of %s: raise the limit, too." $path (toString $request) $name $limit) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
